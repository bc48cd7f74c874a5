<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Core\Bytes;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;

/**
 * The `_id` of a document: the same whenever the event comes again, so that the server has it once.
 *
 * By the columns that name an event anywhere, as `source` and `id` do in CloudEvents; where it has not all of them, by its
 * place in the log.
 *
 * @internal
 */
final readonly class DocumentId
{
    /** 132 bits: among a billion documents two are alike by chance once in 10^21 indices. */
    private const CHARACTERS = 22;

    /** @param non-empty-list<string> $columns */
    public function __construct(private array $columns) {}

    public function of(Delivery $delivery, Record $record): string
    {
        $parts = [];

        foreach ($this->columns as $column) {
            $value = $record->values[$column] ?? '';
            $part = $value instanceof Bytes ? $value->value : (is_string($value) || is_int($value) ? (string) $value : '');

            if ($part === '') {
                return self::hashed($delivery->idOf($record));
            }

            $parts[] = $part;
        }

        return self::hashed(implode("\0", $parts));
    }

    private static function hashed(string $name): string
    {
        return substr(strtr(base64_encode(hash('sha256', $name, true)), '+/', '-_'), 0, self::CHARACTERS);
    }
}
