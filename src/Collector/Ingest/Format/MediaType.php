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
        $header = $request->headers['content-type'] ?? '';
        $length = strcspn($header, ';');

        if (
            $length < strlen($header)
            && preg_match('/;\s*charset\s*=\s*"?([^";\s]*)/i', $header, $charset) === 1
            && ! in_array(strtolower($charset[1]), ['utf-8', 'utf8', 'us-ascii'], true)
        ) {
            throw RequestError::mediaType($header, 'charset=utf-8');
        }

        return strtolower(trim(substr($header, 0, $length)));
    }
}
