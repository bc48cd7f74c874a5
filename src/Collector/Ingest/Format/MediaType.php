<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Request;

use function preg_match;
use function strcspn;
use function strlen;
use function strtolower;
use function substr;
use function trim;

/**
 * @internal
 */
final readonly class MediaType
{
    /**
     * @return string in lower case, without parameters; empty if the request has none
     *
     * @throws RequestError JSON is UTF-8
     */
    public static function of(Request $request): string
    {
        $given = $request->headers['content-type'] ?? '';
        $length = strcspn($given, ';');

        if (
            $length < strlen($given)
            && preg_match('/;\s*charset\s*=\s*"?([^";\s]*)/i', $given, $charset) === 1
            && ! in_array(strtolower($charset[1]), ['utf-8', 'utf8', 'us-ascii'], true)
        ) {
            throw RequestError::mediaType($given, 'charset=utf-8');
        }

        return strtolower(trim(substr($given, 0, $length)));
    }
}
