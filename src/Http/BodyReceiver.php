<?php

declare(strict_types=1);

namespace Headroom\Http;

/**
 * @internal
 */
interface BodyReceiver
{
    /**
     * The next bytes of a body, without transfer coding: a range of the data, because a receiver that only counts needs
     * no copy.
     */
    public function receiveBody(string $data, int $at, int $length): void;
}
