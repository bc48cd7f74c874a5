<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Support\FileOperation;

/**
 * One line of an FPM configuration file. FPM hands its files to PHP's ini parser line by line (fpm_conf.c), so no value
 * spans lines, and the same parser reads the line here.
 *
 * @internal
 */
final readonly class IniLine
{
    // As php-fpm -tt prints them.
    private const KINDS = ['php_flag' => 'php_value', 'php_admin_flag' => 'php_admin_value'];

    /**
     * @param ?string $section the name in brackets
     * @param ?string $name with its key in brackets; null for a section, a comment, an empty line or a fault
     * @param ?string $fault why it was not understood
     */
    private function __construct(
        public ?string $section = null,
        public ?string $name = null,
        public string $value = '',
        public ?string $fault = null,
        public string $token = '',
    ) {}

    public static function read(string $line): self
    {
        $text = trim($line, " \t\r\n");

        if ($text === '' || $text[0] === ';') {
            return new self;
        }

        // The parser would insert a variable of this process.
        if (str_contains($text, '${')) {
            return new self(fault: 'an environment variable of PHP-FPM, which is unknown here', token: $text);
        }

        $reason = '';
        $read = FileOperation::run(
            static fn (): array|false => parse_ini_string(rtrim($line, "\r\n")."\n", true, INI_SCANNER_NORMAL),
            $reason,
        );

        return match (true) {
            $read === false => new self(
                fault: (string) preg_replace('/ in Unknown on line \d+\n?/', '', $reason),
                token: $text,
            ),
            // A section keeps the text of its line; the parser returns [] for an empty line.
            count($read) !== 1 => new self(fault: 'neither a section nor name = value', token: $text),
            default => self::entry((string) array_key_first($read), $read[array_key_first($read)], $text),
        };
    }

    private static function entry(string $name, mixed $value, string $text): self
    {
        if (is_string($value)) {
            return new self(name: $name, value: $value);
        }

        if ($text[0] === '[') {
            return $value === [] && $name !== ''
                ? new self(section: $name)
                : new self(fault: 'a section is one name in brackets', token: $text);
        }

        $key = is_array($value) && count($value) === 1 ? array_key_first($value) : null;
        $entry = $key === null ? null : $value[$key];

        if (! is_string($entry)) {
            return new self(fault: 'neither a section nor name = value', token: $text);
        }

        // The parser numbers the entries of a list: access.suppress_path[] = /a.
        $bracket = preg_match('/\A[^\[=]*\[[ \t]*\]/', $text) === 1 ? '[]' : "[{$key}]";
        $kind = self::KINDS[$name] ?? $name;

        return new self(name: $kind.$bracket, value: $kind === $name ? $entry : ($entry === '' ? '0' : $entry));
    }
}
