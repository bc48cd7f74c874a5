<?php

declare(strict_types=1);

namespace Pheanstalk;

class Exception extends \Exception {}
