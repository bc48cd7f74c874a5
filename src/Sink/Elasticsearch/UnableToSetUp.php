<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Core\Permanent;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class UnableToSetUp extends RuntimeException implements Permanent, UnableToDeliver
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function refused(Endpoint $by, string $request, int $status, string $said): self
    {
        return new self("{$by->shown} answered {$request} with HTTP {$status}".($said === '' ? '' : ': '.rtrim($said, '.')).'. '.match (true) {
            in_array($status, [401, 403], true) => "Correct the bucket's 'auth'; it needs the right to manage index templates, data streams and retention.",
            default => 'Mend that and run this again: what was made before is there, and is not made twice.',
        });
    }

    public static function strange(Endpoint $from): self
    {
        return new self("{$from->shown} does not answer as Elasticsearch or OpenSearch do: GET / has no version. Correct the bucket's 'url', or look at what stands between.");
    }
}
