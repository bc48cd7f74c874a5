<?php

declare(strict_types=1);

namespace Pheanstalk\Exception;

use Pheanstalk\Contract\JobIdInterface;

final class JobBuriedException extends ClientException
{
    public function __construct(public readonly JobIdInterface $jobId)
    {
        parent::__construct("The server was out of memory and buried job {$jobId->getId()}.");
    }
}
