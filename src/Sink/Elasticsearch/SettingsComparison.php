<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use stdClass;

/**
 * Compares settings with those that the server returns. The server adds defaults, and returns numbers and booleans as
 * text.
 *
 * @internal
 */
final readonly class SettingsComparison
{
    public static function within(mixed $wanted, mixed $existing): bool
    {
        if ($wanted instanceof stdClass) {
            $wanted = (array) $wanted;
        }

        if (! is_array($wanted)) {
            return self::text($wanted) === self::text($existing);
        }

        if (
            ! is_array($existing)
            || (array_is_list($wanted) && $wanted !== [] && count($wanted) !== count($existing))
        ) {
            return false;
        }

        foreach ($wanted as $key => $value) {
            if (! array_key_exists($key, $existing) || ! self::within($value, $existing[$key])) {
                return false;
            }
        }

        return true;
    }

    private static function text(mixed $value): ?string
    {
        return match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            is_scalar($value) => (string) $value,
            default => null,
        };
    }
}
