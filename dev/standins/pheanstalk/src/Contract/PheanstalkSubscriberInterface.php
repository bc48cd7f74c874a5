<?php

declare(strict_types=1);

namespace Pheanstalk\Contract;

use Pheanstalk\Values\Job;
use Pheanstalk\Values\TubeList;
use Pheanstalk\Values\TubeName;

interface PheanstalkSubscriberInterface extends PheanstalkClientInterface
{
    public function delete(JobIdInterface $job): void;

    public function ignore(TubeName $tube): int;

    public function listTubesWatched(): TubeList;

    public function release(
        JobIdInterface $job,
        int $priority = PheanstalkPublisherInterface::DEFAULT_PRIORITY,
        int $delay = PheanstalkPublisherInterface::DEFAULT_DELAY,
    ): void;

    public function reserve(): Job;

    public function bury(JobIdInterface $job, int $priority = PheanstalkPublisherInterface::DEFAULT_PRIORITY): void;

    public function reserveJob(JobIdInterface $job): Job;

    public function reserveWithTimeout(int $timeout): ?Job;

    public function touch(JobIdInterface $job): void;

    public function watch(TubeName $tube): int;
}
