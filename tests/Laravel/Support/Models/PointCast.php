<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Models;

use Illuminate\Contracts\Database\Eloquent\CastsAttributes;
use Illuminate\Database\Eloquent\Model;

/**
 * A cast of two columns.
 *
 * @implements CastsAttributes<array{int, int}, array{int, int}>
 */
final class PointCast implements CastsAttributes
{
    public function get(Model $model, string $key, mixed $value, array $attributes): array
    {
        [$x, $y] = [$attributes['x'] ?? 0, $attributes['y'] ?? 0];

        return [is_numeric($x) ? (int) $x : 0, is_numeric($y) ? (int) $y : 0];
    }

    /** @return array<string, mixed> */
    public function set(Model $model, string $key, mixed $value, array $attributes): array
    {
        return is_array($value) ? ['x' => $value[0], 'y' => $value[1]] : [];
    }
}
