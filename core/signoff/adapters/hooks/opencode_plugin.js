// Written by `signoff init opencode`: each call of a tool waits for a person, who answers in signoff.
// Whatever fails here keeps the call from running.

import { spawn } from "node:child_process";

const COMMAND = ["signoff", "hook", "opencode"];
const SECONDS = 86400;

export const Signoff = async ({ client, directory }) => {
  const waiting = new Set();
  const notes = new Map();
  const subjects = new Map();

  const keyOf = ({ sessionID, callID }) => `${sessionID} ${callID}`;

  async function found(question) {
    const { data } = await question;
    if (data === undefined) throw new Error("not run: OpenCode does not tell what signoff has to know");
    return data;
  }

  // A sub-agent works in a session below that of the person.
  async function sessionsUpward(id) {
    const sessions = [await found(client.session.get({ path: { id } }))];
    while (sessions.at(-1).parentID) {
      sessions.push(await found(client.session.get({ path: { id: sessions.at(-1).parentID } })));
    }
    return sessions;
  }

  async function subjectOf(id) {
    if (!subjects.has(id)) {
      const messages = await found(client.session.messages({ path: { id } }));
      const parts = messages.filter(({ info }) => info.role === "user").flatMap((message) => message.parts);
      subjects.set(id, parts.find((part) => part.type === "text" && !part.synthetic)?.text ?? "");
    }
    return subjects.get(id);
  }

  async function eventOf({ tool, sessionID, callID }, args) {
    const [sessions, servers, tools] = await Promise.all([
      sessionsUpward(sessionID),
      found(client.mcp.status()),
      found(client.tool.ids()),
    ]);
    const root = sessions.at(-1).id;
    return {
      hook_event_name: "tool.execute.before",
      session_id: root,
      call_id: callID,
      agent: sessions.length > 1 ? (sessions[0].agent ?? "sub-agent") : "",
      subject: await subjectOf(root),
      cwd: directory,
      tool,
      args,
      servers: Object.keys(servers),
      tools,
    };
  }

  function answerTo(event, call) {
    return new Promise((resolve, reject) => {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: "pipe" });
      const fail = (why) => reject(new Error(`not run: signoff failed: ${why}`));
      const late = setTimeout(() => {
        child.kill("SIGKILL");
        fail(`no answer within ${SECONDS} seconds`);
      }, SECONDS * 1000);
      let said = "";
      let complaint = "";
      call.end = () => child.kill();
      child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
      child.stderr.setEncoding("utf8").on("data", (text) => (complaint += text));
      child.stdin.on("error", () => {}); // it has ended, and its exit code tells
      child.on("error", (error) => {
        clearTimeout(late);
        fail(error.message);
      });
      child.on("close", (code, signal) => {
        clearTimeout(late);
        try {
          const answer = JSON.parse(said);
          if (code === 0 && answer.decision === "allow") return resolve(answer);
          if (code !== 0 && answer.decision === "deny") return resolve(answer);
        } catch {}
        fail(complaint.trim() || `it ended with ${code ?? signal}`);
      });
      child.stdin.end(JSON.stringify(event));
    });
  }

  function end(isMeant) {
    for (const call of waiting) {
      if (isMeant(call)) {
        call.ended = true;
        call.end?.();
      }
    }
  }

  return {
    "tool.execute.before": async (input, output) => {
      const call = { session: input.sessionID, id: input.callID, ended: false };
      waiting.add(call);
      try {
        const asked = JSON.parse(JSON.stringify(output.args));
        const event = await eventOf(input, asked);
        if (call.ended) throw new Error("not run: stopped before anybody was asked");
        const answer = await answerTo(event, call);
        if (answer.decision !== "allow") {
          if (answer.stop === true) await client.session.abort({ path: { id: event.session_id } });
          throw new Error(String(answer.reason));
        }
        if (call.ended) throw new Error("not run: stopped meanwhile");
        // What was shown is what runs, whatever became of the arguments in the meantime.
        for (const name of Object.keys(output.args)) delete output.args[name];
        for (const [name, value] of Object.entries(answer.args ?? asked)) {
          Object.defineProperty(output.args, name, { value, configurable: true, enumerable: true, writable: true });
        }
        if (answer.note) notes.set(keyOf(input), answer.note);
      } finally {
        waiting.delete(call);
      }
    },

    "tool.execute.after": async (input, output) => {
      const note = notes.get(keyOf(input));
      notes.delete(keyOf(input));
      if (!note || !output) return;
      if (typeof output.output === "string") output.output += `\n\n${note}`;
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text: note });
    },

    // Nobody waits for a call any more whose turn was stopped.
    event: async ({ event: { type, properties } }) => {
      if (type === "session.idle") end((call) => call.session === properties.sessionID);
      if (type !== "message.part.updated" || properties.part.type !== "tool") return;
      const { callID, id, sessionID, state } = properties.part;
      if (state.status === "error" || state.status === "completed") {
        end((call) => call.session === sessionID && (call.id === callID || call.id === id));
        notes.delete(keyOf(properties.part));
      }
    },

    dispose: async () => end(() => true),
  };
};
