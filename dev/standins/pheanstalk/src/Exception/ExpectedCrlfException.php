<?php

declare(strict_types=1);

namespace Pheanstalk\Exception;

final class ExpectedCrlfException extends ClientException {}
