<?php

declare(strict_types=1);

namespace Pheanstalk\Exception;

use Pheanstalk\Values\TubeName;

final class TubeNotFoundException extends ClientException
{
    public function __construct(TubeName $tube)
    {
        parent::__construct(
            "There is no tube {$tube}: it exists while it has jobs, or while a client uses or watches it.",
        );
    }
}
