<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Bytes;
use Headroom\Core\Record;

/**
 * The columns that identify an event across senders, as `source` and `id` do in CloudEvents. They stay the same when a
 * client sends an event twice; the event's position in the log does not.
 *
 * This class is in the root of the Sink namespace, because several adapters use it and adapters may not import each
 * other.
 *
 * @internal
 */
final readonly class DeduplicationKey
{
    /** 132 bits: a set of a billion events has a collision with a probability of 10^-21. */
    private const CHARACTERS = 22;

    /**
     * The columns of collector events. `key` is the name of the API key; it is left out if the source is the same name.
     * With it, one API key cannot overwrite the events of another. A rotated API key keeps its name, so a retry after
     * the rotation is still a duplicate.
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
