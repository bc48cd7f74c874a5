<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\BatchRejected;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\NamesCause;
use RuntimeException;

/**
 * The index currently takes no document at all.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class IndexRefused extends RuntimeException implements BatchRejected, NamesCause
{
    private function __construct(private readonly string $cause)
    {
        parent::__construct("{$cause} All events stay in the buffer.");
    }

    public function cause(): string
    {
        return $this->cause;
    }

    public static function by(Endpoint $from, IndexName $index, Item $item): self
    {
        return new self("{$from->origin} takes no document for '{$index->pattern}': {$item->reason()} ".match (true) {
            in_array($item->status, [401, 403], true)
                && $item->type
                    === 'security_exception' => "Allow the user of the bucket's 'auth' to create documents there.",
            $item->status === 403 => 'Check whether its disk is full, and remove the block (index.blocks).',
            $item->status
                === 404 => 'Create the index with `headroom:collect:install`, or correct the bucket\'s \'index\'.',
            default => "Correct the bucket's 'index', or the cluster's limits.",
        });
    }
}
