<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Support\TerminalText;

/**
 * The server's error for one document that it did not store.
 *
 * @internal
 */
final readonly class Item
{
    private const REASON_BYTES = 300;

    /** Text that precedes a quoted value, in the messages of Elasticsearch and OpenSearch. */
    private const QUOTING =
        '/(Preview of field\'s value:|The prefix of|[Ff]or input string:|Unrecognized token|'
        .'failed to parse (?:date )?field \[[^]]*\] with|\b[Vv]alue [\[(]).*\z/s';

    public function __construct(
        public ItemOutcome $outcome,
        public int $status,
        public string $type,
        private string $message,
    ) {}

    /** The reason without the quoted value: readers of the log may not be allowed to read events. */
    public function reason(): string
    {
        $message = (string) preg_replace(self::QUOTING, '$1 …', $this->message);

        return "HTTP {$this->status} {$this->type}"
            .($message === '' ? '' : ': '.TerminalText::name(mb_scrub($message, 'UTF-8'), self::REASON_BYTES));
    }
}
