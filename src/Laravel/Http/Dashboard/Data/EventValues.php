<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\HeadroomException;
use Headroom\Core\Json;
use Headroom\Spool\Append\Redaction;
use Headroom\Support\Utf8Cut;

/**
 * The values of an event as a page may show them: without secrets, and cut.
 *
 * @internal
 */
final readonly class EventValues
{
    private const MAX_VALUE_BYTES = 2_048;

    private const MAX_NAME_BYTES = 200;

    private const MAX_EVENT_BYTES = 16_384;

    /** @param list<Redaction> $redactions */
    public function __construct(private array $redactions, private string $bucket) {}

    /**
     * @param array<string, scalar|null|Json|Bytes|DateTimeImmutable> $values
     * @return array<array-key, scalar|null> uncut
     */
    public function redacted(array $values): array
    {
        $plain = self::plain($values);

        foreach ($this->redactions as $redaction) {
            try {
                $plain = $redaction->apply($plain, $this->bucket);
            } catch (HeadroomException) {
                // One value cannot be searched. The others may be shown.
                foreach ($plain as $column => $value) {
                    $plain[$column] = $this->one($redaction, (string) $column, $value);
                }
            }
        }

        $shown = [];

        foreach ($plain as $column => $value) {
            // PHP does not encode a member of an object whose name begins with NUL.
            $name = str_replace("\0", "\u{FFFD}", (string) $column);
            $shown[$name] = is_scalar($value) || $value === null ? $value : Redaction::REPLACEMENT;
        }

        return $shown;
    }

    /**
     * @param array<array-key, scalar|null> $values
     * @return array<string, scalar|null>
     */
    public static function cut(array $values): array
    {
        $shown = [];
        $bytes = 0;

        foreach ($values as $column => $value) {
            $name = self::shortened((string) $column, self::MAX_NAME_BYTES);
            $shown[$name] = is_string($value) ? self::shortened($value, self::MAX_VALUE_BYTES) : $value;
            $bytes += strlen($name) + (is_string($shown[$name]) ? strlen($shown[$name]) : 8);

            if ($bytes > self::MAX_EVENT_BYTES && count($shown) < count($values)) {
                $shown['…'] = (count($values) - count($shown)).' more columns are not shown';

                break;
            }
        }

        return $shown;
    }

    private static function shortened(string $text, int $bytes): string
    {
        $text = mb_check_encoding($text, 'UTF-8') ? $text : mb_scrub(substr($text, 0, $bytes + 4), 'UTF-8');

        return strlen($text) <= $bytes
            ? $text
            : Utf8Cut::cut($text, $bytes).'… ('.number_format(strlen($text)).' bytes)';
    }

    private function one(Redaction $redaction, string $column, mixed $value): mixed
    {
        try {
            return $redaction->apply([$column => $value], $this->bucket)[$column] ?? null;
        } catch (HeadroomException) {
            return '[not shown: it cannot be searched for keys that are redacted]';
        }
    }

    /**
     * @param array<string, scalar|null|Json|Bytes|DateTimeImmutable> $values
     * @return array<string, scalar|null>
     */
    public static function plain(array $values): array
    {
        return array_map(self::text(...), $values);
    }

    /** @return scalar|null */
    private static function text(mixed $value): mixed
    {
        return match (true) {
            $value instanceof Bytes => mb_check_encoding($value->value, 'UTF-8')
                ? $value->value
                : 'base64:'.base64_encode($value->value),
            $value instanceof Json => $value->text,
            $value instanceof DateTimeImmutable => $value->format('Y-m-d\TH:i:s.uP'),
            default => is_scalar($value) ? $value : null,
        };
    }
}
