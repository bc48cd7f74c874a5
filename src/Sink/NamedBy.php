<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Bytes;
use Headroom\Core\Record;

/**
 * The columns that name an event anywhere, as `source` and `id` do in CloudEvents. By them it is the same event when a client
 * sends it twice; its place in the log would be another one.
 *
 * It stands at the door, since several adapters go by it and may not import each other.
 *
 * @internal
 */
final readonly class NamedBy
{
    /** 132 bits: among a billion events two are alike by chance once in 10^21 such sets. */
    private const CHARACTERS = 22;

    /** @param non-empty-list<string> $columns */
    public function __construct(private array $columns) {}

    /** @return ?string null where the event has not all of them */
    public function of(Record $record): ?string
    {
        $parts = [];

        foreach ($this->columns as $column) {
            $value = $record->values[$column] ?? '';
            $part = $value instanceof Bytes ? $value->value : (is_string($value) || is_int($value) ? (string) $value : '');

            if ($part === '') {
                return null;
            }

            $parts[] = $part;
        }

        return self::short(implode("\0", $parts));
    }

    /** Of a name of any length: base64url of its SHA-256, cut. */
    public static function short(string $name): string
    {
        return substr(strtr(base64_encode(hash('sha256', $name, true)), '+/', '-_'), 0, self::CHARACTERS);
    }
}
