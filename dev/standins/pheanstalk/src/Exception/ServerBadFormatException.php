<?php

declare(strict_types=1);

namespace Pheanstalk\Exception;

final class ServerBadFormatException extends ServerException
{
    public function __construct(string $commandLine)
    {
        parent::__construct("The server does not understand: {$commandLine}");
    }
}
