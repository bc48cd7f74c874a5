<?php

declare(strict_types=1);

namespace Pheanstalk\Exception;

use Pheanstalk\Exception;

class ServerException extends Exception {}
