<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Envelope;

/**
 * One JSON object a line: Docker's json-file, `journalctl -o json`, and the output of log shippers.
 *
 * @internal
 */
final readonly class JsonLines implements EnvelopeLayer
{
    /** Docker splits long lines into pieces, and only the last piece has the line end. */
    private const CUT = 'log';

    /**
     * Members that hold the line in the formats of log collectors. If none is present, any other member may hold it.
     */
    private const TEXTS = [self::CUT, 'MESSAGE', 'message'];

    private const MAX_MEMBERS = 24;

    private const TIMES = ['time', '__REALTIME_TIMESTAMP', '@timestamp', 'timestamp', 'datetime', 'ts', 'date'];

    private const SOURCES = [
        'stream', '_HOSTNAME', 'SYSLOG_IDENTIFIER', '_PID', 'CONTAINER_NAME', 'container_name', 'container_id',
    ];

    private const DEPTH = 16;

    private function __construct(private string $member, private PrefixTime $times) {}

    /**
     * Returns one layer for each member that may hold the line.
     *
     * @param list<string> $head
     * @return list<self>
     */
    public static function among(array $head, PrefixTime $times): array
    {
        $members = [];

        foreach ($head as $line) {
            foreach (self::object($line) ?? [] as $name => $value) {
                if (self::text($value) !== null && count($members) < self::MAX_MEMBERS) {
                    $members[(string) $name] = (string) $name;
                }
            }
        }

        $names = [...array_intersect(self::TEXTS, $members), ...array_diff($members, self::TEXTS)];

        return array_map(static fn (string $name): self => new self($name, $times), array_values($names));
    }

    public function unwrap(string $line): ?UnwrappedLine
    {
        $object = self::object($line);
        $text = $object === null ? null : self::text($object[$this->member] ?? null);

        if ($object === null || $text === null) {
            return null;
        }

        $isWhole = $this->member !== self::CUT || str_ends_with($text, "\n");
        $text = str_ends_with($text, "\n") ? substr($text, 0, -1) : $text;

        return new UnwrappedLine($text, self::source($object), $this->time($object), ! $isWhole);
    }

    public function isLoose(): bool
    {
        return ! in_array($this->member, self::TEXTS, true);
    }

    /** @return ?array<array-key, mixed> */
    private static function object(string $line): ?array
    {
        // RFC 7464 puts RS before each object; server-sent events put a field name there.
        $line = ltrim($line, "\x1E");
        $line = str_starts_with($line, 'data: {') ? substr($line, 6) : $line;

        if (! str_starts_with($line, '{')) {
            return null;
        }

        $object = json_decode($line, true, self::DEPTH, JSON_INVALID_UTF8_SUBSTITUTE | JSON_BIGINT_AS_STRING);

        return is_array($object) ? $object : null;
    }

    /** The journal prints text that is not UTF-8 as a list of bytes, and text that is too long as null. */
    private static function text(mixed $value): ?string
    {
        if (! is_array($value)) {
            return is_string($value) ? $value : null;
        }

        $bytes = '';

        foreach ($value as $byte) {
            if (! is_int($byte)) {
                return null;
            }

            $bytes .= chr($byte & 0xFF);
        }

        return $bytes;
    }

    /** @param array<array-key, mixed> $object */
    private static function source(array $object): string
    {
        $source = [];

        foreach (self::SOURCES as $name) {
            $value = $object[$name] ?? null;

            if (is_string($value) || is_int($value)) {
                $source[] = $value;
            }
        }

        return implode(' ', $source);
    }

    /** @param array<array-key, mixed> $object */
    private function time(array $object): ?string
    {
        foreach (self::TIMES as $name) {
            $value = $object[$name] ?? null;

            if (is_int($value) || is_float($value) || (is_string($value) && ctype_digit($value))) {
                return $this->times->of((string) self::seconds((float) $value));
            }

            if (is_string($value) && ($time = $this->times->of($value)) !== null) {
                return $time;
            }
        }

        return null;
    }

    /** Numbers are seconds, milliseconds or microseconds; their size decides. */
    private static function seconds(float $number): int
    {
        return (int) match (true) {
            $number >= 1e17 => $number / 1e9,
            $number >= 1e14 => $number / 1e6,
            $number >= 1e11 => $number / 1e3,
            default => $number,
        };
    }
}
