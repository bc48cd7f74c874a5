<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Load\LoadResult;

/**
 * What the server says about itself in the head of the first answer that has one. One is enough,
 * and looking at each would cost.
 *
 * @internal
 */
final class FirstAnswer
{
    private bool $isTaken = false;

    private ?string $server = null;

    private bool $namesHost = false;

    /** Where a redirect leads. */
    private ?string $location = null;

    public function isWanted(): bool
    {
        return ! $this->isTaken;
    }

    /** @param string $head of an answer; empty when none came */
    public function take(string $head): void
    {
        if ($head === '') {
            return;
        }

        $this->isTaken = true;
        preg_match_all('/^(server|host|location):([^\r\n]*+)/mi', $head, $lines, PREG_SET_ORDER);

        foreach ($lines as [, $name, $value]) {
            match (strtolower($name)) {
                'server' => $this->server = trim($value),
                'location' => $this->location = trim($value),
                default => $this->namesHost = true,
            };
        }
    }

    /**
     * Null when it did not say. PHP's built-in server has no name and is the one that answers with
     * the Host it was asked for.
     */
    public function server(): ?string
    {
        return $this->server ?? ($this->namesHost ? LoadResult::BUILT_IN_SERVER : null);
    }

    public function location(): ?string
    {
        return $this->location;
    }
}
