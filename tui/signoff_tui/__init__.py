"""The reviewer's screen: where people read what agents ask and decide."""
