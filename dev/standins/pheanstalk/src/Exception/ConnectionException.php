<?php

declare(strict_types=1);

namespace Pheanstalk\Exception;

final class ConnectionException extends ClientException
{
    public function __construct(int $errno, string $errstr)
    {
        parent::__construct("Socket error {$errno}: {$errstr}");
    }
}
