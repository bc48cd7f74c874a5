<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\HttpClient\HttpResponse;

/**
 * What became of a document.
 *
 * @internal
 */
enum ItemOutcome
{
    /** Now, or when it came before. */
    case Stored;

    /** There was no time for it. */
    case Busy;

    /** For what is in it. */
    case Refused;

    /** For what is wrong with the index or with who sends, and would be with any other document. */
    case Blocked;

    /** Of status 400, these too. */
    private const BLOCKING = [
        'index_not_found_exception', 'invalid_index_name_exception', 'index_closed_exception', 'cluster_block_exception', 'security_exception',
        // Too many shards in the cluster, for one.
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
