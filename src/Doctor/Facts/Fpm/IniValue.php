<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Fpm;

/**
 * The right side of an ini line, as PHP's ini parser reads it in its normal mode: zend_ini_scanner.l.
 *
 * @internal
 */
final readonly class IniValue
{
    private const TRUE = ['true', 'on', 'yes'];

    private const FALSE = ['false', 'off', 'no', 'none', 'null'];

    /** @param ?string $fault why it was not understood; the text is empty then */
    private function __construct(public string $text, public ?string $fault) {}

    public static function read(string $source): self
    {
        $rest = trim($source, " \t\r\n");

        if (preg_match('/\A([A-Za-z]+)[ \t]*(?:;.*)?\z/s', $rest, $m) === 1 && ($word = self::word(strtolower($m[1]))) !== null) {
            return new self($word, null);
        }

        return self::parts($rest);
    }

    private static function word(string $word): ?string
    {
        return in_array($word, self::TRUE, true) ? '1' : (in_array($word, self::FALSE, true) ? '' : null);
    }

    /** Quoted and unquoted pieces, joined. */
    private static function parts(string $rest): self
    {
        $text = '';
        $blanks = '';

        while ($rest !== '' && $rest[0] !== ';') {
            if (preg_match('/\A[ \t]+/', $rest, $m) === 1) {
                $blanks = $m[0];
            } elseif (preg_match('/\A"((?:[^"\\\\]|\\\\.)*)"/s', $rest, $m) === 1) {
                $text .= $blanks.stripslashes($m[1]);
                $blanks = '';
            } elseif (preg_match("/\\A'([^']*)'/", $rest, $m) === 1) {
                $text .= $blanks.$m[1];
                $blanks = '';
            } elseif (preg_match('/\A(?:[^$ \t;&|^~()!"\'\0{}]|\$(?!\{))+/', $rest, $m) === 1) {
                $text .= $blanks.$m[0];
                $blanks = '';
            } else {
                return new self('', self::fault($rest));
            }

            if (str_contains($m[0], '${')) {
                return new self('', self::fault('${'));
            }

            $rest = substr($rest, strlen($m[0]));
        }

        return self::constant($text);
    }

    private static function fault(string $rest): string
    {
        return match (true) {
            str_starts_with($rest, '${') => 'a value of the environment of PHP-FPM, which is not seen from here',
            $rest[0] === '"' || $rest[0] === "'" => 'a quote that is not closed',
            $rest[0] === '{' || $rest[0] === '}' => 'a brace outside of quotes',
            default => "the operator {$rest[0]}, whose result is not worked out here",
        };
    }

    /** A bare word that PHP knows as a constant becomes its value; E_ALL is the one in use. */
    private static function constant(string $text): self
    {
        $isBare = preg_match('/\AE_[A-Z_]+\z/', $text) === 1 && defined($text);
        $value = $isBare ? constant($text) : $text;

        return new self(is_scalar($value) ? (string) $value : $text, null);
    }
}
