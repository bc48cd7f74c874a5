<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

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

    /** @var array<int, list<string>> lines of heads that are coming in, by who asked */
    private array $heads = [];

    public function isWanted(): bool
    {
        return ! $this->isWhole;
    }

    /** @param int $user of several whose answers come at the same time */
    public function read(int $user, string $line): void
    {
        if (trim($line) !== '') {
            $this->heads[$user][] = $line;

            return;
        }

        $head = $this->heads[$user] ?? [];
        unset($this->heads[$user]);

        // 103 Early Hints and its like come before the answer, perhaps from somebody else than who gives it.
        if (preg_match('~\AHTTP/[\d.]+ 1~', $head[0] ?? '') !== 1) {
            $this->isWhole = true;
            $this->take($head);
            $this->heads = [];
        }
    }

    /** Null when it did not say. PHP's built-in server has no name and is the one that answers with the Host it was asked for. */
    public function server(): ?string
    {
        return $this->server ?? ($this->namesHost ? LoadResult::BUILT_IN_SERVER : null);
    }

    /** @param list<string> $head */
    private function take(array $head): void
    {
        foreach ($head as $line) {
            if (preg_match('/\A(server|host):\s*([^\r\n]*?)\s*\z/i', $line, $m) === 1) {
                strtolower($m[1]) === 'server' ? $this->server = $m[2] : $this->namesHost = true;
            }
        }
    }
}
