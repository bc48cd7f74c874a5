<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Spool\Append\Redaction;

/**
 * The reason of a dead letter without the values that the page redacts: a database quotes the value that it refuses.
 *
 * @internal
 */
final readonly class ShownReason
{
    /** A server may cut a long value, so its beginning is searched for. */
    private const KEY_BYTES = 16;

    /** Shorter texts are in every sentence. */
    private const MIN_BYTES = 3;

    /**
     * @param array<array-key, scalar|null> $plain values of the event
     * @param array<array-key, scalar|null> $redacted the same values as the page shows them
     */
    public static function of(string $reason, array $plain, array $redacted): string
    {
        $shown = array_merge([], ...array_map(self::texts(...), array_values($redacted)));
        $all = array_merge([], ...array_map(self::texts(...), array_values($plain)));
        $hidden = array_unique(array_diff($all, $shown));
        // A long value may contain a short one.
        usort($hidden, static fn (string $a, string $b): int => strlen($b) <=> strlen($a));

        foreach ($hidden as $value) {
            $reason = strlen($value) < self::MIN_BYTES ? $reason : self::without($reason, $value);
        }

        return $reason;
    }

    private static function without(string $reason, string $value): string
    {
        $key = substr($value, 0, self::KEY_BYTES);
        $from = 0;

        while (($at = strpos($reason, $key, $from)) !== false) {
            // In an XOR of two texts, equal bytes are NUL.
            $length = strspn(substr($reason, $at, strlen($value)) ^ $value, "\0");
            $reason = substr_replace($reason, Redaction::REPLACEMENT, $at, $length);
            $from = $at + strlen(Redaction::REPLACEMENT);
        }

        return $reason;
    }

    /** @return list<string> the value, and each value in it where it is JSON */
    private static function texts(string|int|float|bool|null $value): array
    {
        if ($value === null || is_bool($value)) {
            return [];
        }

        $texts = [(string) $value];
        $parts = is_string($value) ? json_decode($value, true, flags: JSON_BIGINT_AS_STRING) : null;

        if (is_array($parts)) {
            array_walk_recursive($parts, static function (mixed $part) use (&$texts): void {
                $texts = is_string($part) || is_int($part) || is_float($part)
                    ? [...$texts, ...self::texts($part)]
                    : $texts;
            });
        }

        return $texts;
    }
}
