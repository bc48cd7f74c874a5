<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * Metrics in Prometheus' text exposition format, version 0.0.4. A series is a name with its labels:
 * `name{label="value"}`.
 *
 * @internal
 */
final readonly class MetricsText
{
    public const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

    private const ESCAPES = ['\\' => '\\\\', '"' => '\"', "\n" => '\n', "\0" => "\u{FFFD}"];

    /** @param array<string, string> $labels values by name; a value may have any bytes */
    public static function series(string $name, array $labels): string
    {
        $pairs = [];

        foreach ($labels as $label => $value) {
            $pairs[] = "{$label}=\"".strtr(self::utf8($value), self::ESCAPES).'"';
        }

        return $pairs === [] ? $name : $name.'{'.implode(',', $pairs).'}';
    }

    /**
     * @param array<string, array{string, string}> $metrics type and help text by name; other names are left out
     * @param array<string, int|float> $values by series
     */
    public static function of(array $metrics, array $values): string
    {
        $byMetric = [];

        foreach ($values as $series => $value) {
            $name = substr($series, 0, strcspn($series, '{'));
            $metric = isset($metrics[$name]) ? $name : (string) preg_replace('/_(?:bucket|count|sum)\z/', '', $name);
            $byMetric[$metric][] = "{$series} ".self::number($value);
        }

        $text = '';

        foreach ($metrics as $name => [$type, $help]) {
            $lines = $byMetric[$name] ?? [];

            // Prometheus reads the buckets of a histogram in ascending order.
            if ($type !== 'histogram') {
                sort($lines);
            }

            $text .= $lines === []
                ? ''
                : "# HELP {$name} {$help}\n# TYPE {$name} {$type}\n".implode("\n", $lines)."\n";
        }

        return $text;
    }

    /** Prometheus refuses the whole text because of one invalid byte. mb_scrub() depends on an ini setting. */
    private static function utf8(string $value): string
    {
        if (preg_match('//u', $value) === 1) {
            return $value;
        }

        $text = json_decode((string) json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE));

        return is_string($text) ? $text : '';
    }

    private static function number(int|float $value): string
    {
        $text = is_int($value) ? (string) $value : rtrim(sprintf('%.6F', $value), '0');

        return str_ends_with($text, '.') ? "{$text}0" : $text;
    }
}
