<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use RuntimeException;

/**
 * Reads Prometheus' text format by its specification, with code of its own.
 */
final readonly class ExpositionReader
{
    private const LINE = '/\A([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[^"}]|"(?:\\\\.|[^"\\\\])*")*)\})? (\S+)\z/s';

    /** @return list<array{string, array<string, string>, string}> name, labels and value of each sample */
    public static function samples(string $text): array
    {
        $samples = [];

        foreach (explode("\n", rtrim($text, "\n")) as $line) {
            if ($line === '' || $line[0] === '#') {
                continue;
            }

            if (preg_match(self::LINE, $line, $parts) !== 1) {
                throw new RuntimeException('Not a sample: '.bin2hex($line));
            }

            preg_match_all('/([a-zA-Z_][a-zA-Z0-9_]*)="((?:\\\\.|[^"\\\\])*)"/s', $parts[2], $pairs, PREG_SET_ORDER);
            $labels = [];

            foreach ($pairs as [, $label, $value]) {
                $labels[$label] = strtr($value, ['\\\\' => '\\', '\"' => '"', '\n' => "\n"]);
            }

            $samples[] = [$parts[1], $labels, $parts[3]];
        }

        return $samples;
    }

    /**
     * @param array<string, string> $labels that the sample has at least
     * @return ?string null when there is no such sample
     */
    public static function value(string $text, string $name, array $labels = []): ?string
    {
        foreach (self::samples($text) as [$found, $its, $value]) {
            if ($found === $name && array_diff_assoc($labels, $its) === []) {
                return $value;
            }
        }

        return null;
    }
}
