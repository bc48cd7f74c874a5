<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\BatchRejected;
use Headroom\Sink\HttpClient\Endpoint;
use RuntimeException;

/**
 * The index takes no document at all just now, whatever is in it.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class IndexRefused extends RuntimeException implements BatchRejected
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function by(Endpoint $from, IndexName $index, Item $item): self
    {
        return new self("{$from->shown} takes no document for '{$index->pattern}': {$item->reason()} ".match (true) {
            in_array($item->status, [401, 403], true) && $item->type === 'security_exception' => "Give whoever the bucket's 'auth' names the right to create documents there.",
            $item->status === 403 => 'Take the block from the index (index.blocks), and see whether its disk is full.',
            $item->status === 404 => 'Set the index up with `headroom:collect:install`, or correct the bucket\'s \'index\'.',
            default => "Correct the bucket's 'index', or the cluster's limits.",
        }.' No event is set aside for that: all of them wait.');
    }
}
