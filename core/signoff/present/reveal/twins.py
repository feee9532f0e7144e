"""Characters that fonts draw like ASCII ones. Made by scripts/look_alikes.py."""

SIGN_TWINS = {
    '"': "\u201c\u201d\u201f\u2033\uff02",
    "#": "\ufe5f\uff03",
    "$": "\ufe69\uff04",
    "%": "\ufe6a\uff05",
    "&": "\ufe60\uff06",
    "'": "\u00b4\u02b9\u2018\u2019\u201b\u2032\u2035\uff07",
    "(": "\u2768\u2772",
    ")": "\u2769\u2773",
    "*": "\u204e\u2217\ufe61\uff0a",
    ",": "\u201a",
    "-": "\u02d7\u2010\u2011\u2012\u2013\u2043\u2212\ufe58\ufe63\uff0d",
    ".": "\u2024\u3002\ufe52\uff0e\uff61",
    "..": "\u2025",
    "/": "\u2041\u2044\u2215\u2571\u27cb\u29f8\uff0f",
    ":": "\u205a\u2236\ua789\ufe55",
    ";": "\u037e\ufe54\uff1b",
    "<": "\u02c2\u2039\u276e\ufe64\uff1c",
    ">": "\u02c3\u203a\u276f\ufe65\uff1e",
    "@": "\ufe6b\uff20",
    "\\": "\u2216\u27cd\u29f5\u29f9\ufe68\uff3c",
    "^": "\u02c4",
    "`": "\u1fef\uff40",
    "{": "\u2774",
    "|": "\u01c0\u2223\uff5c",
    "}": "\u2775",
    "~": "\u02dc\u2053\u223c",
}
"""Signs of no language, by what they look like."""

PHONETIC_TWINS = {
    "a": "\u0251",
    "c": "\u1d04",
    "e": "\uab32",
    "f": "\u1e9d\ua799\uab35",
    "g": "\u0261\u1d83",
    "i": "\u0269\u026a",
    "o": "\u1d0f\u1d11\uab3d",
    "r": "\uab47\uab48",
    "s": "\ua731",
    "u": "\u1d1c\ua79f\uab4e\uab52",
    "v": "\u1d20",
    "w": "\u1d21",
    "y": "\u1d8c\u1eff\uab5a",
    "z": "\u1d22",
}
"""Letters of phonetic alphabets, and small capitals, by what they look like."""

LATIN_LIKE = (
    "ıͺͿΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορτυωϒϜϱϲϳϹϺЅІЈАВЕКМНОРСТУХаеорсухьѕіјѡѴѵһӏԁԌԚԛԜԝԼՍՏՕագզհյոսցքօᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃ"
    "ᏎᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏮᏳᏴᚷᛁᛕᛖᴦιⲅⲎⲒⲔⲘⲚⲞⲟⲢⲣⲤⲥⲦⲨⲬⳐꓐꓑꓒꓓꓔꓕꓖꓗꓘꓙꓚꓛꓜꓝꓞꓟꓠꓡꓢꓣꓤꓥꓦꓧꓨꓩꓪꓫꓬꓭꓮꓯꓰꓱꓲꓳꓴꓵꓶꓷꙇꭵꮁꮃꮓꮩꮪꮯ𐊂𐊆𐊇𐊊𐊐𐊒𐊕𐊖𐊗𐊠𐊡𐊢𐊥𐊫𐊰"
    "𐊱𐊲𐊴𐋏𐌁𐌂𐌉𐌑𐌕𐌗𐐄𐐕𐐛𐐠𐐬𐐽𐑈𐔓𐔖𐔘𐔜𐔝𐔥𐔦𐔧"
)
"""Letters that pass for Latin ones."""
