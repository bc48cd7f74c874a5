<?php

declare(strict_types=1);

namespace Headroom\Http;

use function substr;

/**
 * Collects a body.
 *
 * @internal
 */
final class BodyBuffer implements ResponseReceiver
{
    /** 0 until the head of a response has come. */
    public int $status = 0;

    public string $body = '';

    public function receiveHead(int $status, string $head): void
    {
        $this->status = $status;
    }

    public function receiveBody(string $data, int $at, int $length): void
    {
        $this->body .= substr($data, $at, $length);
    }
}
