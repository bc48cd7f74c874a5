<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Bytes;
use Headroom\Core\Record;

/**
 * The columns that identify an event across senders, as `source` and `id` do in CloudEvents. They stay the same when a
 * client sends an event twice; the event's position in the log does not.
 *
 * Several adapters use it and may not import each other, so it is in the root of the Sink namespace.
 *
 * @internal
 */
final readonly class DeduplicationKey
{
    /** 132 bits: a set of a billion events has a collision with a probability of 10^-21. */
    private const CHARACTERS = 22;

    /**
     * The columns of collector events. The key's name is a part wherever the source differs from it, so that one API
     * key cannot overwrite the events of another. The name is used instead of the key's id, because a rotated key must
     * send the same events.
     */
    public const EVENT = ['source', 'id', 'key'];

    /** @param non-empty-list<string> $columns */
    public function __construct(private array $columns) {}

    /** @return ?string null if the event lacks one of the columns */
    public function of(Record $record): ?string
    {
        $parts = [];

        foreach ($this->columns as $column) {
            $value = $record->values[$column] ?? '';
            $part = $value instanceof Bytes
                ? $value->value
                : (is_string($value) || is_int($value) ? (string) $value : '');

            // Events of an application, and of a collector that accepts every sender, have no key.
            if ($column === 'key' && $this->columns === self::EVENT && ($part === '' || $part === $parts[0])) {
                continue;
            }

            if ($part === '') {
                return null;
            }

            $parts[] = $part;
        }

        return self::short(implode("\0", $parts));
    }

    /** Shortens a name of any length to the first characters of the base64url form of its SHA-256. */
    public static function short(string $name): string
    {
        return substr(strtr(base64_encode(hash('sha256', $name, true)), '+/', '-_'), 0, self::CHARACTERS);
    }
}
