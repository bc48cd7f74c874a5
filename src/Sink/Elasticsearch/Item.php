<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Support\TerminalText;

/**
 * What a server says of one document that it did not store.
 *
 * @internal
 */
final readonly class Item
{
    private const REASON_BYTES = 300;

    /** What comes before a value, in the words of either server. */
    private const QUOTING = '/(Preview of field\'s value:|The prefix of|[Ff]or input string:|Unrecognized token|failed to parse (?:date )?field \[[^]]*\] with|\b[Vv]alue [\[(]).*\z/s';

    public function __construct(public ItemOutcome $fate, public int $status, public string $type, private string $said) {}

    /** Without the value that it quotes: who may read the log may not be meant to read the events. */
    public function reason(): string
    {
        $said = (string) preg_replace(self::QUOTING, '$1 …', $this->said);

        return "HTTP {$this->status} {$this->type}".($said === '' ? '' : ': '.TerminalText::name(mb_scrub($said, 'UTF-8'), self::REASON_BYTES));
    }
}
