<?php

declare(strict_types=1);

namespace Headroom\Http;

/**
 * @internal
 */
interface ResponseReceiver extends BodyReceiver
{
    /**
     * The final response begins; interim responses (1xx) are not reported.
     *
     * @param string $head status line and header section with the empty line, as they came
     */
    public function receiveHead(int $status, string $head): void;
}
