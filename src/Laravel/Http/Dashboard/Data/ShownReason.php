<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Closure;
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
        /** @var array<array-key, int> $hidden bytes by text */
        $hidden = [];
        $changed = array_filter(
            $plain,
            static fn (mixed $value, int|string $column): bool => $value !== ($redacted[$column] ?? null),
            ARRAY_FILTER_USE_BOTH,
        );
        // Only texts that the reason has are kept, because an event may have half a million.
        array_walk_recursive($changed, self::each(...), static function (string $text) use ($reason, &$hidden): void {
            if (strlen($text) >= self::MIN_BYTES && str_contains($reason, substr($text, 0, self::KEY_BYTES))) {
                $hidden[$text] = strlen($text);
            }
        });

        if ($hidden !== []) {
            array_walk_recursive($redacted, self::each(...), static function (string $text) use (&$hidden): void {
                unset($hidden[$text]);
            });
        }

        arsort($hidden); // A long value may contain a short one.

        foreach (array_keys($hidden) as $text) {
            $reason = self::without($reason, (string) $text);
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

    /** @param Closure(string): void $use gets the value, and each value in it where it is JSON */
    private static function each(mixed $value, int|string $key, Closure $use): void
    {
        if (! is_scalar($value) || is_bool($value)) {
            return;
        }

        $use((string) $value);
        $parts = is_string($value) ? json_decode($value, true, flags: JSON_BIGINT_AS_STRING) : null;

        if (is_array($parts)) {
            array_walk_recursive($parts, self::each(...), $use);
        }
    }
}
