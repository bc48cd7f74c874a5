<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Load\Metrics\LoadResult;

/**
 * The server's name and redirect target, from the first response head. Reading every head would cost CPU time of the
 * generator.
 *
 * @internal
 */
final class ServerInfo
{
    private bool $isKnown = false;

    private ?string $server = null;

    private bool $namesHost = false;

    private ?string $location = null;

    /** @param string $head of a response; empty if none arrived */
    public function observe(string $head): void
    {
        if ($this->isKnown || $head === '') {
            return;
        }

        $this->isKnown = true;
        preg_match_all('/^(server|host|location):([^\r\n]*+)/mi', $head, $lines, PREG_SET_ORDER);

        foreach ($lines as [, $name, $value]) {
            match (strtolower($name)) {
                'server' => $this->server = trim($value),
                'location' => $this->location = trim($value),
                default => $this->namesHost = true,
            };
        }
    }

    /** Null if unknown. PHP's built-in server sends no Server header; it alone repeats the Host of the request. */
    public function server(): ?string
    {
        return $this->server ?? ($this->namesHost ? LoadResult::BUILT_IN_SERVER : null);
    }

    /** The target of a redirect. */
    public function location(): ?string
    {
        return $this->location;
    }
}
