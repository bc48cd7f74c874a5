<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\HttpClient\HttpResponse;

/**
 * What the server did with a document.
 *
 * @internal
 */
enum ItemOutcome
{
    /** Stored by this request or by an earlier one. */
    case Stored;

    /** The server was too busy. */
    case Busy;

    /** The server rejected the content of the document. */
    case Refused;

    /** The index or the sender is at fault: the server would reject every document. */
    case Blocked;

    /** Errors of status 400 that mean Blocked. */
    private const BLOCKING = [
        'index_not_found_exception', 'invalid_index_name_exception', 'index_closed_exception',
        'cluster_block_exception', 'security_exception',
        // For example, too many shards in the cluster.
        'validation_exception', 'action_request_validation_exception', 'invalid_alias_name_exception',
    ];

    public static function of(int $status, string $type): self
    {
        return match (true) {
            $status >= 200 && $status < 300, $status === 409 => self::Stored,
            HttpResponse::isBusy($status) => self::Busy,
            in_array($status, [401, 403, 404], true), in_array($type, self::BLOCKING, true) => self::Blocked,
            default => self::Refused,
        };
    }
}
