<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use PDO;
use PDOStatement;

final class WatchedStatement extends PDOStatement
{
    public static int $mostValues = 0;

    public function bindValue(string|int $param, mixed $value, int $type = PDO::PARAM_STR): bool
    {
        self::$mostValues = max(self::$mostValues, (int) $param);

        return parent::bindValue($param, $value, $type);
    }
}
