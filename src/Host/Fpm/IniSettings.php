<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Process\InvalidServerConfig;

/**
 * ini values as -d flags. The command line also sets values that PHP reads only at start, such as
 * opcache.memory_consumption; a pool's php_admin_value is applied too late for those.
 *
 * @internal
 */
final readonly class IniSettings
{
    /** @param array<string, string|int|bool> $values */
    public function __construct(private array $values = []) {}

    /** @return list<string> */
    public function flags(): array
    {
        $flags = [];

        foreach ($this->values as $name => $value) {
            array_push($flags, '-d', self::name($name).'="'.self::value($name, $value).'"');
        }

        return $flags;
    }

    private static function name(string $name): string
    {
        return preg_match('/\A[A-Za-z_][A-Za-z0-9_.]*\z/', $name) === 1
            ? $name
            : throw InvalidServerConfig::text(
                'The name of an ini setting',
                $name,
                'letters, digits, dots and underscores',
            );
    }

    private static function value(string $name, string|int|bool $value): string
    {
        $text = is_bool($value) ? ($value ? '1' : '0') : (string) $value;

        return preg_match('/["\\\\\0\r\n$]/', $text) === 0
            ? $text
            : throw InvalidServerConfig::text(
                "The ini setting {$name}",
                $text,
                'free of quotes, backslashes, dollar signs and line ends, which an ini file would read as'
                    .' something else',
            );
    }
}
