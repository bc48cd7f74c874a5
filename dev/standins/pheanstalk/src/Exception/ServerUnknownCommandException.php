<?php

declare(strict_types=1);

namespace Pheanstalk\Exception;

final class ServerUnknownCommandException extends ServerException {}
