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
final readonly class DeduplicationKey
{
    /** 132 bits: among a billion events two are alike by chance once in 10^21 such sets. */
    private const CHARACTERS = 22;

    /**
     * Of events of the collector. An API key cannot name the event of another one: where the source is not the key's own name, the key is
     * part of the name. Its name, and not its id, so that the key that replaces it sends the same events.
     */
    public const EVENT = ['source', 'id', 'key'];

    /** @param non-empty-list<string> $columns */
    public function __construct(private array $columns) {}

    /** @return ?string null where the event has not all of them */
    public function of(Record $record): ?string
    {
        $parts = [];

        foreach ($this->columns as $column) {
            $value = $record->values[$column] ?? '';
            $part = $value instanceof Bytes ? $value->value : (is_string($value) || is_int($value) ? (string) $value : '');

            // Events of an application, or of a collector that lets in every sender, have none.
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

    /** Of a name of any length: base64url of its SHA-256, cut. */
    public static function short(string $name): string
    {
        return substr(strtr(base64_encode(hash('sha256', $name, true)), '+/', '-_'), 0, self::CHARACTERS);
    }
}
