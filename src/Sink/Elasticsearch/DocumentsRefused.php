<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The server rejected the content of these documents and stored all others.
 *
 * @internal catch Headroom\Sink\PartialBatchFailure
 */
final class DocumentsRefused extends RuntimeException implements PartialBatchFailure
{
    /** @param non-empty-array<int<0, max>, string> $refused */
    private function __construct(string $message, private readonly array $refused)
    {
        parent::__construct($message);
    }

    /**
     * @param non-empty-array<int<0, max>, string> $reasons by the record's index in the batch
     * @param int $of number of events in the batch
     */
    public static function by(Endpoint $to, array $reasons, int $of): self
    {
        ksort($reasons);
        $refused = array_map(
            static fn (string $reason): string => "{$to->origin} rejected this document: {$reason}",
            $reasons,
        );

        return new self(
            "{$to->origin} rejected ".TerminalText::count(count($refused), 'document')." of {$of}, the first with "
                .reset($reasons),
            $refused,
        );
    }

    public function refused(): array
    {
        return $this->refused;
    }
}
