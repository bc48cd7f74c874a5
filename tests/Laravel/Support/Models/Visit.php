<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Models;

use Headroom\Laravel\Eloquent\BuffersWrites;
use Illuminate\Database\Eloquent\Concerns\HasUuids;
use Illuminate\Database\Eloquent\Model;

/**
 * A key of its own, timestamps by other names, and few columns that may be filled.
 */
final class Visit extends Model
{
    use BuffersWrites;
    use HasUuids;

    public const CREATED_AT = 'begun_at';

    public const UPDATED_AT = null;

    protected $table = 'visits';

    protected $fillable = ['path'];

    protected string $bucket = 'web-visits';
}
