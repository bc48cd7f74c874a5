<?php

declare(strict_types=1);

namespace Pheanstalk\Contract;

use Pheanstalk\Values\Job;
use Pheanstalk\Values\JobStats;
use Pheanstalk\Values\ServerStats;
use Pheanstalk\Values\TubeList;
use Pheanstalk\Values\TubeName;
use Pheanstalk\Values\TubeStats;

interface PheanstalkManagerInterface extends PheanstalkClientInterface
{
    public function kick(int $max): int;

    public function kickJob(JobIdInterface $job): void;

    public function listTubes(): TubeList;

    public function pauseTube(TubeName $tube, int $delay): void;

    public function resumeTube(TubeName $tube): void;

    public function peek(JobIdInterface $job): Job;

    public function peekReady(): ?Job;

    public function peekDelayed(): ?Job;

    public function peekBuried(): ?Job;

    public function statsJob(JobIdInterface $job): JobStats;

    public function statsTube(TubeName $tube): TubeStats;

    public function stats(): ServerStats;
}
