<?php

declare(strict_types=1);

namespace Workbench\App\Models;

use Headroom\Laravel\Eloquent\BuffersWrites;
use Illuminate\Database\Eloquent\Model;

final class PageVisit extends Model
{
    use BuffersWrites;

    public const CREATED_AT = 'seen_at';

    public const UPDATED_AT = null;

    protected $fillable = ['route', 'path', 'campaign', 'referer', 'visitor'];
}
