<?php

declare(strict_types=1);

namespace Pheanstalk\Contract;

interface SocketFactoryInterface
{
    public const DEFAULT_PORT = 11300;

    public function create(): SocketInterface;
}
