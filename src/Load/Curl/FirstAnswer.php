<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use CurlHandle;
use Headroom\Load\LoadResult;

/**
 * What the server says about itself in the head of the first answer that has one. One is enough, and looking at each would cost.
 *
 * @internal
 */
final class FirstAnswer
{
    private bool $isWhole = false;

    private ?string $server = null;

    private bool $namesHost = false;

    public function isWanted(): bool
    {
        return ! $this->isWhole;
    }

    /** @return callable(CurlHandle, string): int for CURLOPT_HEADERFUNCTION */
    public function listener(): callable
    {
        return function (CurlHandle $handle, string $line): int {
            if (! $this->isWhole) {
                $this->read($line);
            }

            return strlen($line);
        };
    }

    public function read(string $line): void
    {
        if (trim($line) === '') {
            $this->isWhole = true;
        } elseif (preg_match('/\A(server|host):\s*([^\r\n]*?)\s*\z/i', $line, $m) === 1) {
            strtolower($m[1]) === 'server' ? $this->server = $m[2] : $this->namesHost = true;
        }
    }

    /** Null when it did not say. PHP's built-in server has no name and is the one that answers with the Host it was asked for. */
    public function server(): ?string
    {
        return $this->server ?? ($this->namesHost ? LoadResult::BUILT_IN_SERVER : null);
    }
}
