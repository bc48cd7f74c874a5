<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Core\Printable;

/**
 * What a server says of one document that it did not store.
 *
 * @internal
 */
final readonly class Item
{
    private const REASON_BYTES = 300;

    public function __construct(public ItemFate $fate, public int $status, public string $type, private string $said) {}

    /** Without the value that it quotes: who may read the log may not be meant to read the events. */
    public function reason(): string
    {
        $said = (string) preg_replace('/(Preview of field\'s value:|For input string:).*\z/s', '$1 …', $this->said);

        return "HTTP {$this->status} {$this->type}".($said === '' ? '' : ': '.Printable::name(mb_scrub($said, 'UTF-8'), self::REASON_BYTES));
    }
}
