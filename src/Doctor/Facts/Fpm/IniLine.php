<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Fpm;

/**
 * One line of an FPM configuration file. FPM hands its files to PHP's ini parser line by line (fpm_conf.c), so nothing
 * reaches over a line's end.
 *
 * @internal
 */
final readonly class IniLine
{
    // What zend_ini_scanner.l takes for a name.
    private const NAME = '[^=\t;&|^$~(){}!"\[\]\0]+?';

    private const FLAGS = ['php_flag' => 'php_value', 'php_admin_flag' => 'php_admin_value'];

    /**
     * @param ?string $section the name in brackets
     * @param ?string $name with its key in brackets; null for a section, a comment, an empty line and a fault
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

        return match (true) {
            $text === '' || $text[0] === ';' => new self,
            $text[0] === '[' => self::section($text),
            default => self::entry($text),
        };
    }

    private static function section(string $text): self
    {
        return preg_match('/\A\[\s*([^\]\'"${]+?)\s*\]\s*(?:;.*)?\z/s', $text, $m) === 1
            ? new self(section: $m[1])
            : new self(fault: 'a section is one name in brackets', token: $text);
    }

    private static function entry(string $text): self
    {
        if (preg_match('/\A('.self::NAME.')[ \t]*(\[[ \t]*([^\]\'"${]*?)[ \t]*\])?[ \t]*=(.*)\z/s', $text, $m) !== 1) {
            return new self(fault: 'neither a section nor name = value', token: $text);
        }

        $value = IniValue::read($m[4]);
        $kind = self::FLAGS[$m[1]] ?? $m[1];

        return match (true) {
            $value->fault !== null => new self(fault: $value->fault, token: $text),
            $m[2] === '' => new self(name: $m[1], value: $value->text),
            // php-fpm -tt prints flags among the values, as 1 and 0.
            $kind !== $m[1] => new self(name: "{$kind}[{$m[3]}]", value: $value->text === '' ? '0' : $value->text),
            default => new self(name: "{$m[1]}[{$m[3]}]", value: $value->text),
        };
    }
}
