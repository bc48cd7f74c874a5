<?php

declare(strict_types=1);

namespace Pheanstalk\Contract;

use Pheanstalk\Values\TubeName;

interface PheanstalkPublisherInterface extends PheanstalkClientInterface
{
    public const DEFAULT_DELAY = 0;

    public const DEFAULT_PRIORITY = 1024;

    public const DEFAULT_TTR = 60;

    public function listTubeUsed(): TubeName;

    public function put(
        string $data,
        int $priority = self::DEFAULT_PRIORITY,
        int $delay = self::DEFAULT_DELAY,
        int $timeToRelease = self::DEFAULT_TTR,
    ): JobIdInterface;

    public function useTube(TubeName $tube): void;
}
