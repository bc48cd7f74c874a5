<?php

declare(strict_types=1);

namespace Pheanstalk;

use Pheanstalk\Contract\SocketFactoryInterface;
use Pheanstalk\Contract\SocketInterface;
use Pheanstalk\Socket\StreamSocket;
use Pheanstalk\Values\Timeout;

final class SocketFactory implements SocketFactoryInterface
{
    private const SECONDS = 10;

    public function __construct(
        private readonly string $host,
        private readonly int $port = self::DEFAULT_PORT,
        private readonly ?Timeout $connectTimeout = null,
        private readonly ?Timeout $receiveTimeout = null,
    ) {}

    public function create(): SocketInterface
    {
        return new StreamSocket(
            $this->host,
            $this->port,
            $this->connectTimeout ?? new Timeout(self::SECONDS),
            $this->receiveTimeout ?? new Timeout(self::SECONDS),
        );
    }
}
