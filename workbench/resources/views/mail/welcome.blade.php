Hello {{ $name }},

thank you for joining us.
