<?php

declare(strict_types=1);

namespace Pheanstalk\Exception;

final class TimedOutException extends ClientException {}
