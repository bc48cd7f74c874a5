<?php

declare(strict_types=1);

namespace Pheanstalk\Contract;

interface PheanstalkClientInterface
{
    public function disconnect(): void;
}
