<?php

declare(strict_types=1);

namespace Headroom\Support;

use Headroom\Core\Permanent;
use InvalidArgumentException;

/**
 * A configuration key is missing, unknown or has a value that is not allowed.
 */
final class InvalidConfig extends InvalidArgumentException implements Permanent
{
    private function __construct(string $message, public readonly string $key)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function missing(string $key, string $allowed): self
    {
        return new self("Config {$key} is missing. It must be {$allowed}.", $key);
    }

    public static function notAllowed(string $key, mixed $seen, string $allowed): self
    {
        return new self("Config {$key} is ".self::show($seen).". It must be {$allowed}.", $key);
    }

    /** For a value that may contain a secret. */
    public static function notShown(string $key, string $allowed): self
    {
        return new self(
            "Config {$key} is not valid (its value is hidden, because it may contain a secret). It must be {$allowed}.",
            $key,
        );
    }

    /** @param list<string> $known */
    public static function unknownKey(string $key, array $known): self
    {
        return new self("Config {$key} is not a known setting. Known here: ".implode(', ', $known).'.', $key);
    }

    /** @param string $new the name that took its place */
    public static function renamed(string $key, mixed $seen, string $new): self
    {
        return new self("Config {$key} is ".self::show($seen).". It was renamed to {$new}.", $key);
    }

    private static function show(mixed $value): string
    {
        return match (true) {
            is_string($value) => "'".(strlen($value) > 80 ? substr($value, 0, 80).'…' : $value)."'",
            is_bool($value) => $value ? 'true' : 'false',
            is_int($value), is_float($value) => (string) $value,
            default => get_debug_type($value),
        };
    }
}
